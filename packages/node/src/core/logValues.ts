import { type CommandError, codeNameOf, type ErrorReply, type OpTime } from '@replsim/protocol';

/** An error as an attribute, such as `{ code: 11600, codeName, errmsg }`. Upstream: Status::serialize. */
export function statusAttr(error: CommandError | ErrorReply): Readonly<Record<string, unknown>> {
  const { code } = error;
  return { code, codeName: codeNameOf(code), errmsg: 'errmsg' in error ? error.errmsg : error.message };
}

/** What a `Status` without an error is as an attribute. */
export const STATUS_OK = Object.freeze({ code: 0, codeName: 'OK' });

/** An error in words, as lines show it that might hold a user's data. Upstream: Status::toString, redact. */
export function showStatus(code: number, errmsg: string): string {
  return `${codeNameOf(code)}: ${errmsg}`;
}

/** Upstream: OpTime::toString. */
export function showOpTime(opTime: OpTime): string {
  return showPlain(opTime);
}

/** A plain object as mongod prints a document: `{ term: 2, reason: "" }`. Upstream: BSONObj::toString. */
export function showPlain(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const [t, i] = entries;
  if (entries.length === 2 && t?.[0] === 't' && i?.[0] === 'i') return `Timestamp(${t[1]}, ${i[1]})`;
  return entries.length === 0
    ? '{}'
    : `{ ${entries.map(([name, inner]) => `${name}: ${showPlain(inner)}`).join(', ')} }`;
}
