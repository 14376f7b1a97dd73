import type { CommandArguments } from '@replsim/pipeline';
import { BsonWriter, ElementCursor } from '@replsim/protocol';
import type { CommandDescription } from '../definition.ts';

/** A command as others may see it: in errors, the log, the profiler and `currentOp`. Upstream: Command::snipForLogging. */
export function redacted({ sensitive = [] }: CommandDescription, { bytes }: CommandArguments): Uint8Array {
  if (sensitive.length === 0) return bytes;
  const writer = new BsonWriter(bytes.length);
  for (const fields = new ElementCursor(bytes); fields.next(); ) {
    if (sensitive.includes(fields.name)) writer.string(fields.name, 'xxx');
    else writer.rawValue(fields.name, fields.value());
  }
  return writer.finish();
}
