export { Barriers } from './barriers.ts';
export { END_OF_CLOCKS_MS, FASTEST_PPM, SLOWEST_PPM, WallClock, type WallClockOptions } from './clocks.ts';
export {
  DURATION_PATTERN,
  durationText,
  formatDuration,
  formatInstant,
  formatInstantExactly,
  HOUR_MICROS,
  likelyDuration,
  parseDuration,
} from './duration.ts';
export { type EventHandle, EventQueue } from './eventQueue.ts';
export type { Link, LinkSettings } from './link.ts';
export { DEFAULT_LINK_SETTINGS, Network } from './links.ts';
export { nearestRank } from './nearestRank.ts';
export { Random } from './random.ts';
export { didYouMean, didYouMeanOneOf } from './suggest.ts';
