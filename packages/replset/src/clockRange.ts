import { END_OF_CLOCKS_MS, formatDuration } from '@replsim/kernel';
import { CommandError } from '@replsim/protocol';

/** Why a jump or an offset cannot be a fraction of a millisecond, and the nearest that moves the clock. */
export function wholeMilliseconds(ms: number): readonly [message: string, suggestion: string] {
  const nearest = Math.round(ms) || Math.sign(ms);
  return ['a wall clock shows whole milliseconds', `did you mean ${formatDuration(nearest * 1000)}?`];
}

/** A wall clock would show what no BSON timestamp can hold. */
export class ClockOutOfRange extends CommandError {
  constructor(message: string) {
    super('BadValue', message);
    this.name = 'ClockOutOfRange';
  }
}

/** Whether a wall clock can show this, in ms since 1970. */
export function isOnClock(wallMs: number): boolean {
  return wallMs >= 0 && wallMs < END_OF_CLOCKS_MS;
}

/** @throws ClockOutOfRange unless the member's clock can show this, in ms since 1970 */
export function mustBeOnClock(member: string, wallMs: number): void {
  if (isOnClock(wallMs)) return;
  const side = wallMs < 0 ? 'before 1970' : 'after 2106';
  throw new ClockOutOfRange(`the clock of ${member} would be ${side}, which no BSON timestamp can hold`);
}
