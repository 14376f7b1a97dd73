import { CommandError } from '@replsim/protocol';

type Method = (this: unknown, ...given: unknown[]) => unknown;

/**
 * What is given beyond what a function takes would be dropped, and something else be done than was meant.
 * @param most how many it takes at most
 * @returns BadValue; undefined if there are no more
 */
export function tooMany(name: string, given: readonly unknown[], most: number): CommandError | undefined {
  if (given.length <= most) return undefined;
  const takes = ['nothing', 'one argument', 'two arguments'][most] ?? `${most} arguments`;
  const isList = most === 1 && given.every((each) => typeof each === 'string');
  const list = given.map((each) => `'${each}'`).join(', ');
  return new CommandError(
    'BadValue',
    `${name} takes ${takes}, and ${given.length} were given${isList ? `; several are one list: ${name}([${list}])` : ''}`,
  );
}

/**
 * Has methods refuse what they would drop.
 * @param most how many arguments each of them takes
 * @param rejects they return promises, and fail in no other way
 */
export function limitArguments(owner: object, most: Readonly<Record<string, number>>, rejects: boolean): void {
  for (const [name, count] of Object.entries(most)) {
    const method = Reflect.get(owner, name) as Method;
    const value = function (this: unknown, ...given: unknown[]): unknown {
      const refusal = tooMany(name, given, count);
      if (refusal === undefined) return method.apply(this, given);
      if (rejects) return Promise.reject(refusal);
      throw refusal;
    };
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  }
}
