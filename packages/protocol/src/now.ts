/** A member's two clocks at one instant: timers go by `monotonicMicros`; `wallMs` (ms since 1970) may be skewed, and expiry goes by it. */
export interface Now {
  readonly monotonicMicros: number;
  readonly wallMs: number;
}
