import { parseDuration } from '@replsim/kernel';
import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError, as all of these */
export function port(text: string): number {
  const number = wholeNumber(text);
  if (number > 65_535) throw new InvalidArgumentError('A port is at most 65535.');
  return number;
}

/** 0 stands still. */
export function speed(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !(number >= 0 && Number.isFinite(number)))
    throw new InvalidArgumentError('It must be a number, 0 or more.');
  return number;
}

/** 0 or more. */
export function wholeNumber(text: string): number {
  if (/^-\d+$/.test(text)) throw new InvalidArgumentError('It must be 0 or more.');
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** A moment of the run, since time zero. @returns µs */
export function instant(text: string): number {
  const micros = parseDuration(text);
  if (micros === undefined || micros < 0)
    throw new InvalidArgumentError('It must be a time since the start, such as 19.5s.');
  return micros;
}

/** @returns ms */
export function lead(text: string): number {
  const micros = parseDuration(text);
  if (micros === undefined || micros < 0) throw new InvalidArgumentError('It must be a duration, such as 250ms.');
  return micros / 1000;
}

/** @returns µs, more than 0 */
export function duration(text: string): number {
  const micros = parseDuration(text);
  if (micros === undefined || micros <= 0) throw new InvalidArgumentError('It must be a duration, such as 5m.');
  return micros;
}

/** 1 or more. */
export function natural(text: string): number {
  if (/^-\d+$/.test(text) || wholeNumber(text) === 0) throw new InvalidArgumentError('It must be 1 or more.');
  return wholeNumber(text);
}

/** Whole numbers from one to another, both of them among them: `1..100`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export function range(text: string): Range {
  const [, from, to] = /^(\d{1,15})\.\.(\d{1,15})$/.exec(text) ?? [];
  if (from === undefined || Number(from) > Number(to))
    throw new InvalidArgumentError('It must be two whole numbers, the smaller one first, such as 1..100.');
  return { from: Number(from), to: Number(to) };
}

/** A part of several, `3/16`. */
export function shard(text: string): { readonly index: number; readonly of: number } {
  const [, index, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  if (index === undefined || Number(index) < 1 || Number(index) > Number(of))
    throw new InvalidArgumentError('It must be a part of several, counted from 1, as in 3/16.');
  return { index: Number(index), of: Number(of) };
}

/** What a queue is called, as part of names of keys. */
export function queueName(text: string): string {
  if (!/^[\w.-]{1,100}$/.test(text))
    throw new InvalidArgumentError('It must have 1 to 100 letters, digits, dots, dashes and underscores.');
  return text;
}

/** Above 0, not only whole numbers. */
export function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return number;
}
