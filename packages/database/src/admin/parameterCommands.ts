import { BsonType, CommandError, readString, sayIfKnown } from '@replsim/protocol';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import { fieldSet } from '../fields/arguments.ts';
import { Fields } from '../fields/fields.ts';
import { bytesOf, jsValueOf } from '../fields/values.ts';
import type { ParameterValue } from '../parameters.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';
import type { Reply } from '../reply.ts';
import { PARAMETER_NAMES } from '../upstream/parameterNames.ts';
import { compatibilityVersionIn } from './featureCompatibility.ts';

const generic = fieldSet();
const FCV = 'featureCompatibilityVersion';

/**
 * `{ getParameter: 1, NAME: 1, … }`, or `"*"` or `{ allParameters: true }` for all of them; `{ showDetails: true }` shows each
 * as `{ value, settableAtRuntime, settableAtStartup }`.
 * Errors: InvalidOptions 72 if none of the names is known. Upstream: parameters.cpp, CmdGet.
 */
const getParameter: CommandDefinition = {
  name: 'getParameter',
  help: 'shows server parameters',
  auth: { action: 'getParameter', resource: 'cluster' },
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce(({ args, data, member }) => {
    const { all, details } = wanted(args);
    const names = all ? [FCV, ...member.parameters.names] : namesIn(args);
    const reply: Reply = {};
    for (const name of names) {
      if (name !== FCV && !member.parameters.has(name)) continue;
      const value = name === FCV ? { version: compatibilityVersionIn(data, member) } : member.parameters.shown(name);
      const settableAtRuntime = !member.parameters.isStartupOnly(name);
      reply[name] = details ? { value, settableAtRuntime, settableAtStartup: true } : value;
    }
    if (Object.keys(reply).length === 0) throw nothingFound(names);
    return reply;
  }),
};

/**
 * `{ setParameter: 1, NAME: VALUE, … }` → `{ was }`, the old value of the first. All values are looked at before one is set.
 * Errors: InvalidOptions 72 for no or an unknown parameter, BadValue 2 for its value. Upstream: parameters.cpp, CmdSet.
 */
const setParameter: CommandDefinition = {
  name: 'setParameter',
  help: 'sets server parameters',
  auth: { action: 'setParameter', resource: 'cluster' },
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce(({ args, member }) => {
    const { parameters } = member;
    const changes = new Map<string, ParameterValue>();
    if (args.has(FCV)) {
      throw new CommandError(
        'IllegalOperation',
        `setParameter does not change ${FCV}: setFeatureCompatibilityVersion does`,
      );
    }
    for (const name of namesIn(args)) changes.set(name, parameters.parse(name, jsValueOf(args.presentValue(name))));
    const [first] = changes.keys();
    if (first === undefined) {
      throw new CommandError('InvalidOptions', 'no option found to set');
    }
    const was = parameters.shown(first);
    for (const [name, value] of changes) {
      parameters.set(name, value);
      member.parameterSet(name);
    }
    return { was };
  }),
};

export const parameterCommands: readonly CommandDefinition[] = [getParameter, setParameter];

/** What the value of `getParameter` itself asks for. */
function wanted(args: CommandContext['args']): { readonly all: boolean; readonly details: boolean } {
  const value = args.value(args.name);
  if (value?.type !== BsonType.object) {
    return { all: value?.type === BsonType.string && readString(value) === '*', details: false };
  }
  const fields = new Fields(bytesOf(value), args.name);
  return { all: fields.bool('allParameters'), details: fields.bool('showDetails') };
}

/** InvalidOptions 72. */
function nothingFound(names: readonly string[]): CommandError {
  const known = names.find((name) => PARAMETER_NAMES.has(name));
  const errmsg = 'no option found to get';
  return new CommandError('InvalidOptions', known ? sayIfKnown(`${errmsg}: ${known}`, known, PARAMETER_NAMES) : errmsg);
}

function namesIn(args: CommandContext['args']): string[] {
  return args.names.filter((name) => name !== args.name && !generic.has(name));
}
