/** What part of the run the timeline shows. Unit: µs. */
export interface Range {
  readonly fromMicros: number;
  readonly toMicros: number;
}

/** Nearer nobody can look: events have whole microseconds, and messages take thousands. */
const NARROWEST_MICROS = 1000;

/** The same instants nearer or farther, with one of them staying where it is. @param factor below 1: nearer */
export function zoomed(
  { fromMicros, toMicros }: Range,
  factor: number,
  aroundMicros: number,
  endMicros: number,
): Range {
  const span = Math.min(Math.max((toMicros - fromMicros) * factor, NARROWEST_MICROS), Math.max(endMicros, 1));
  const share = (aroundMicros - fromMicros) / (toMicros - fromMicros || 1);
  return within({ fromMicros: aroundMicros - share * span, toMicros: aroundMicros + (1 - share) * span }, endMicros);
}

/** Moved by a share of what is shown. */
export function panned({ fromMicros, toMicros }: Range, share: number, endMicros: number): Range {
  const by = (toMicros - fromMicros) * share;
  return within({ fromMicros: fromMicros + by, toMicros: toMicros + by }, endMicros);
}

/** Moved so far that an instant is in it; the same if it is. */
export function following(range: Range, atMicros: number, endMicros: number): Range {
  const { fromMicros, toMicros } = range;
  if (atMicros >= fromMicros && atMicros <= toMicros) return range;
  const span = toMicros - fromMicros;
  return within({ fromMicros: atMicros - span / 4, toMicros: atMicros + (3 * span) / 4 }, endMicros);
}

/** Inside of the run, as wide as it was. */
function within({ fromMicros, toMicros }: Range, endMicros: number): Range {
  const span = toMicros - fromMicros;
  const from = Math.min(Math.max(fromMicros, 0), Math.max(endMicros - span, 0));
  return { fromMicros: from, toMicros: from + span };
}
