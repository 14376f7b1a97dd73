import { type Forecast, rateAt } from './forecast.ts';

/** A minute is short enough for the rate to be the same at both ends. */
const STEP_MICROS = 60_000_000;

/** When documents come, one after the other, at a rate that changes over the day. */
export class Arrivals {
  readonly #forecast: Pick<Forecast, 'rate' | 'startMicros'>;
  /** Documents of the forecast that one simulated document stands for. */
  readonly #factor: number;
  /** Of the next one, how much has come. */
  #part = 0.5;

  constructor(forecast: Pick<Forecast, 'rate' | 'startMicros'>, factor: number) {
    this.#forecast = forecast;
    this.#factor = factor;
  }

  /** The instants in a stretch of time, µs from the start; stretches are asked for in order. */
  between(from: number, to: number): number[] {
    const instants: number[] = [];
    for (let at = from; at < to; at += STEP_MICROS) this.#step(at, Math.min(at + STEP_MICROS, to), instants);
    return instants;
  }

  #step(from: number, to: number, instants: number[]): void {
    const perMicro = rateAt(this.#forecast, (from + to) / 2) / 1_000_000 / this.#factor;
    const sum = this.#part + perMicro * (to - from);
    for (let n = 1; n <= sum; n++) instants.push(Math.floor(from + (n - this.#part) / perMicro));
    this.#part = sum - Math.floor(sum);
  }
}
