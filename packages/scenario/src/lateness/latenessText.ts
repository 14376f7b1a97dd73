import { durationText } from '@replsim/kernel';
import { CAUSES, type Cause } from './causes.ts';
import type { LatenessSummary, PartsMs } from './summary.ts';

/** A summary in words: `25 deleted: median 30s late, worst 50s: 45s sleep, 5s backlog`. */
export function latenessText(summary: LatenessSummary): string {
  const { count, undone, waiting } = summary;
  const more = [waiting > 0 ? `${waiting} still there` : '', undone > 0 ? `${undone} undone` : ''].filter(Boolean);
  const counts = [`${count} gone`, ...more].join(', ');
  if (!summary.worst) return counts;
  const { medianMs, worst, worstMs } = summary;
  return `${counts}: median ${lateText(medianMs)} late, worst ${lateText(worstMs)}: ${partsText(worst)}`;
}

/** The causes that made it, the greatest first: `45s sleep, 5s backlog`. */
export function partsText(parts: PartsMs): string {
  const made = CAUSES.filter((cause) => of(parts, cause) !== 0);
  made.sort((a, b) => Math.abs(of(parts, b)) - Math.abs(of(parts, a)));
  return made.length === 0 ? 'nothing' : made.map((cause) => `${lateText(of(parts, cause))} ${cause}`).join(', ');
}

/** Milliseconds as a duration, to the millisecond above a second: `1m30s`, `12.345s`, `4.061ms`, `-1h`. */
export function lateText(ms: number): string {
  return ms !== 0 && Math.abs(ms) < 1000 ? `${Math.round(ms * 1000) / 1000}ms` : durationText(Math.round(ms) * 1000);
}

function of(parts: PartsMs, cause: Cause): number {
  return parts[`${cause}Ms`];
}
