/** One line of a mongod's structured log, as far as it is used. Upstream: logv2, in JSON since 4.4. */
export interface LogLine {
  /** By the clock of its member. Unit: ms since 1970. */
  readonly atMs: number;
  readonly id: number;
  readonly attr: Readonly<Record<string, unknown>>;
}

/** A name, a date and a process id are no longer. */
const MAX_PREFIX = 200;

/** The line's content, or undefined if it is no line of such a log. */
export function parseLogLine(text: string): LogLine | undefined {
  // A byte order mark stands before the first line of what some editors have saved;
  // Docker Compose and journald put a name before each.
  const begins = text.startsWith('{') ? 0 : text.slice(0, MAX_PREFIX).indexOf('{"t":');
  if (begins < 0) return undefined;
  const plain = text.slice(begins).trim();
  let parsed: unknown;
  try {
    parsed = JSON.parse(plain);
  } catch {
    return undefined;
  }
  const { t, id, attr } = parsed as { t?: { $date?: unknown }; id?: unknown; attr?: unknown };
  const atMs = typeof t?.$date === 'string' ? Date.parse(t.$date) : Number.NaN;
  if (!Number.isFinite(atMs) || typeof id !== 'number') return undefined;
  return { atMs, id, attr: fieldsOf(attr) };
}

/** A document's fields; none, where something else stands. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** A line as releases before 4.4 wrote them. */
export const OLD_LOG_LINE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4} [A-Z] +[A-Z_-]+ /;
