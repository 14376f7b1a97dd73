import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { EJSON } from 'bson';

/** The lines of a `getLog` reply as documents, so that filters can look at them; what is no JSON is left out. */
export function logLines(reply: Uint8Array): Uint8Array[] {
  const { log } = decodePromoted(reply) as { log?: string[] };
  return (log ?? []).flatMap((line) => {
    try {
      return [encodeDocument(EJSON.parse(line, { relaxed: false }) as object)];
    } catch {
      return [];
    }
  });
}
