import { durationText, formatInstant } from '@replsim/kernel';
import type { Standing } from './api.ts';

/** A set whose members can be asked whether they stand for election. */
interface Electorate {
  readonly memberNames: readonly string[];
  readonly nowMicros: number;
  standing(name: string): Standing;
}

/** Until when a member may not stand for election, and for how long; undefined if nothing keeps it from it. */
export function barredOf(set: Electorate, name: string): string | undefined {
  const { barredUntilMicros: until } = set.standing(name);
  if (until <= set.nowMicros) return undefined;
  const left = durationText(Math.ceil((until - set.nowMicros) / 1000) * 1000);
  return `may not stand before ${formatInstant(until)}, in ${left}: it stepped down or was frozen`;
}

/** Which members may not stand for election for a while, and until when; undefined if none is kept from it. */
export function barredText(set: Electorate): string | undefined {
  const barred = set.memberNames.flatMap((name) => {
    const text = barredOf(set, name);
    return text === undefined ? [] : [`${name} ${text}`];
  });
  return barred.length === 0 ? undefined : barred.join('; ');
}
