import type { LogLine, TraceEvent } from '@replsim/protocol';
import { countUpTo } from './search.ts';

/** A line of a member's log. */
export interface Logged {
  readonly atMicros: number;
  readonly line: LogLine;
  /** By the member's own clock. */
  readonly wallMs: number;
}

/** Which lines are wanted; all where nothing is said. */
export interface LogFilter {
  readonly component?: string;
  readonly severity?: string;
}

/** What each member has logged by each instant. */
export class Logs {
  readonly #lines = new Map<string, Logged[]>();

  observe(event: TraceEvent): void {
    if (event.type !== 'log') return;
    const { atMicros, line, wallMs } = event;
    const lines = this.#lines.get(event.member);
    if (lines) lines.push({ atMicros, line, wallMs });
    else this.#lines.set(event.member, [{ atMicros, line, wallMs }]);
  }

  /** The components and severities that there are in a member's log, up to the end of the run. */
  kinds(member: string): { readonly components: readonly string[]; readonly severities: readonly string[] } {
    const lines = this.#lines.get(member) ?? [];
    const kinds = (of: (line: LogLine) => string) => [...new Set(lines.map(({ line }) => of(line)))].sort();
    return { components: kinds(({ component }) => component), severities: kinds(({ severity }) => severity) };
  }

  /** The newest of a member's lines at an instant, oldest first, and how many there are before them. */
  at(
    member: string,
    atMicros: number,
    { component, severity }: LogFilter,
    most: number,
  ): { readonly lines: readonly Logged[]; readonly earlier: number } {
    const all = this.#lines.get(member) ?? [];
    const upTo = countUpTo(all, (logged) => logged.atMicros, atMicros);
    const wanted = all
      .slice(0, upTo)
      .filter(
        ({ line }) =>
          (component === undefined || line.component === component) &&
          (severity === undefined || line.severity === severity),
      );
    return { lines: wanted.slice(-most), earlier: Math.max(wanted.length - most, 0) };
  }
}
