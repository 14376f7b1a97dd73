import { ElementWriter } from './elementWriter.ts';
import { writeJsValue } from './jsValue.ts';

/** Writes BSON, of elements and of what bson's `serialize` takes. */
export class BsonWriter extends ElementWriter {
  /** Writes a JS value as bson's `serialize` does; see `writeJsValue` for the table. */
  any(name: string, value: unknown): void {
    writeJsValue(this, name, value, false);
  }
}
