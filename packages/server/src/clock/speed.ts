/**
 * Virtual seconds a second that a machine keeps up with. What it is behind it has to catch up on before it takes in anything
 * from a client, so beyond its own speed it would sooner or later answer nobody; a jump is as fast as the machine anyway.
 */
export const MAX_SPEED = 10_000;

/** The speed itself. @throws RangeError for what time cannot go at, or at which clients would not be answered */
export function checkedSpeed(speed: unknown, name = 'speed'): number {
  if (typeof speed === 'number' && speed >= 0 && speed <= MAX_SPEED) return speed;
  const given = typeof speed === 'number' ? speed : JSON.stringify(speed);
  throw new RangeError(`${name} must be a number, 0 or more, and at most ${MAX_SPEED}, not ${given}`);
}
