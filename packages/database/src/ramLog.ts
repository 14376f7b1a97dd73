import type { LogLine } from '@replsim/protocol';

/** Upstream: logv2/ramlog.h, RamLog::kMaxLines. */
const LINES_KEPT = 1024;

/** A line with the time on the member's own clock, ms since 1970. */
export interface TimedLogLine {
  readonly wallMs: number;
  readonly line: LogLine;
}

/** The newest lines of a log, kept in memory for `getLog`. Upstream: logv2/ramlog.cpp. */
export class RamLog {
  #lines: TimedLogLine[] = [];
  /** Lines that came in since the process started, the forgotten ones included. */
  totalLinesWritten = 0;

  add(wallMs: number, line: LogLine): void {
    this.totalLinesWritten += 1;
    this.#lines.push({ wallMs, line });
    // Forgetting many at once costs less than one at a time.
    if (this.#lines.length >= 2 * LINES_KEPT) this.#lines = this.#lines.slice(-LINES_KEPT);
  }

  /** The newest lines, oldest first. */
  get lines(): readonly TimedLogLine[] {
    return this.#lines.length > LINES_KEPT ? this.#lines.slice(-LINES_KEPT) : this.#lines;
  }
}
