/** The environment variables that describe what a terminal can, or should, do. */
interface Environment {
  readonly NO_COLOR?: string | undefined;
  readonly FORCE_COLOR?: string | undefined;
  readonly TERM?: string | undefined;
}

/** Whether to write colours to a stream: if it is a terminal that can show them, unless the variables say otherwise. */
export function showsColours({ NO_COLOR, FORCE_COLOR, TERM }: Environment, isTerminal: boolean): boolean {
  if (NO_COLOR) return false;
  return Boolean(FORCE_COLOR) || (isTerminal && TERM !== 'dumb');
}

/** Whether a line can be overwritten; on a dumb terminal it cannot. */
export function drawsOver({ TERM }: Environment, isTerminal: boolean): boolean {
  return isTerminal && TERM !== 'dumb';
}
