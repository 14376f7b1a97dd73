import { type BsonWriter, CommandError, RawBson } from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import type { CommandArguments } from '../fields/arguments.ts';
import type { CollectionChanges } from './collectionChanges.ts';

/** Upstream: collection_options.idl, ValidationLevel and ValidationAction. */
const choices = {
  validationLevel: ['off', 'strict', 'moderate'],
  validationAction: ['error', 'warn'],
} as const;

const INTERNAL: ReadonlySet<string> = new Set(['admin', 'config', 'local']);

/**
 * What a create or collMod says of validation, looked at.
 * Errors: TypeMismatch 14, BadValue 2 for another level or action, InvalidOptions 72 for a validator in a database of the
 * system, those of the filter. Upstream: collection_impl.cpp, checkValidatorCanBeUsedOnNs and parseValidator.
 */
export function parseValidation(
  args: CommandArguments,
): Pick<CollectionChanges, 'validator' | 'validationLevel' | 'validationAction'> {
  const validator = args.document('validator');
  const validationLevel = choice(args, 'validationLevel');
  const validationAction = choice(args, 'validationAction');
  if (validator && validator.length > 5) {
    if (INTERNAL.has(args.db) || args.collection.startsWith('system.')) {
      throw new CommandError('InvalidOptions', `${args.ns} may not have a validator`);
    }
    // Only whether it compiles.
    compileFilter(validator);
  }
  return {
    ...(validator && { validator: new RawBson(validator) }),
    ...(validationLevel !== undefined && { validationLevel }),
    ...(validationAction !== undefined && { validationAction }),
  };
}

/** The options of a new collection: a validator has a level and an action. Errors: those of `parseValidation`. */
export function writeValidation(args: CommandArguments, writer: BsonWriter): void {
  const { validator, validationLevel, validationAction } = parseValidation(args);
  const validates = validator && validator.bytes.length > 5;
  if (validates) writer.rawDocument('validator', validator.bytes);
  const level = validationLevel ?? (validates ? 'strict' : undefined);
  const action = validationAction ?? (validates ? 'error' : undefined);
  if (level !== undefined) writer.string('validationLevel', level);
  if (action !== undefined) writer.string('validationAction', action);
}

function choice(args: CommandArguments, name: keyof typeof choices): string | undefined {
  const value = args.string(name);
  if (value === undefined || (choices[name] as readonly string[]).includes(value)) return value;
  throw new CommandError(
    'BadValue',
    `Enumeration value '${value}' for field 'create.${name}' is not a valid value. One of: ${choices[name].join(', ')}`,
  );
}
