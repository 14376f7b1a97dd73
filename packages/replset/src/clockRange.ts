import { END_OF_CLOCKS_MS } from '@replsim/kernel';
import { CommandError } from '@replsim/protocol';

/** What a jump or an offset with a rest of microseconds is told. */
export const WHOLE_MILLISECONDS = 'a wall clock shows whole milliseconds';

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
