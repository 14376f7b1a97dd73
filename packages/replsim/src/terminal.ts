/** The variables that say what a terminal can do, or is wanted to. */
interface Environment {
  readonly NO_COLOR?: string | undefined;
  readonly FORCE_COLOR?: string | undefined;
  readonly TERM?: string | undefined;
}

/** Whether a stream gets colours: where somebody looks at it who can see them, unless the variables say otherwise. */
export function showsColours({ NO_COLOR, FORCE_COLOR, TERM }: Environment, isTerminal: boolean): boolean {
  if (NO_COLOR) return false;
  return Boolean(FORCE_COLOR) || (isTerminal && TERM !== 'dumb');
}

/** Whether a line can be drawn over; a dumb terminal knows no way back. */
export function drawsOver({ TERM }: Environment, isTerminal: boolean): boolean {
  return isTerminal && TERM !== 'dumb';
}
