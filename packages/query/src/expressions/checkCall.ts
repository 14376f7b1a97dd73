import { BsonType, type BsonValue, CommandError, ElementCursor, readString, sayIfKnown } from '@replsim/protocol';
import { EXPRESSION_NAMES } from '../operatorNames.ts';
import { countElements } from '../values.ts';
import { expressionRules, type Named, type Positional } from './rules.ts';
import { checkVariableName } from './variableNames.ts';

/**
 * Looks at the shape of a call's argument. Errors: InvalidPipelineOperator 168 for an unknown operator, Location16020 and
 * 28667 for the number of arguments, FailedToParse 9 for names of variables, and those of each operator for its named arguments.
 */
export function checkCall(name: string, argument: BsonValue): void {
  const rule = Object.hasOwn(expressionRules, name) ? expressionRules[name] : undefined;
  if (!rule) throw unknownExpression(name);
  if ('least' in rule) checkCount(name, argument, rule);
  else if (name === '$cond' && argument.type === BsonType.array) checkCount(name, argument, { least: 3, most: 3 });
  else checkFields(name, argument, rule);
  if (name === '$switch') checkBranches(argument);
  if (name === '$let') checkVariables(argument);
  if (name === '$map' || name === '$filter') checkElementName(argument);
}

/** InvalidPipelineOperator 168. */
export function unknownExpression(name: string): CommandError {
  const errmsg = sayIfKnown(`Unrecognized expression '${name}'`, name, EXPRESSION_NAMES);
  return new CommandError('InvalidPipelineOperator', errmsg);
}

function checkCount(name: string, argument: BsonValue, { least, most, otherCount }: Positional): void {
  const count = argument.type === BsonType.array ? countElements(argument) : 1;
  if (count >= least && count <= most) return;
  if (least === most) {
    throw new CommandError(
      otherCount ?? 16020,
      `Expression ${name} takes exactly ${least} arguments. ${count} were passed in.`,
    );
  }
  const words =
    most === Number.POSITIVE_INFINITY
      ? `${name} needs at least ${least === 2 ? 'two' : least} arguments, had: ${count}`
      : `Expression ${name} takes at least ${least} arguments, and at most ${most}, but ${count} were passed in.`;
  throw new CommandError(otherCount ?? 28667, words);
}

function checkFields(name: string, argument: BsonValue, rule: Named): void {
  if (argument.type !== BsonType.object) {
    throw new CommandError(rule.notObject, `${name} only supports an object as its argument`);
  }
  const given = namesIn(argument);
  for (const field of given) {
    if (!Object.hasOwn(rule.fields, field)) {
      throw new CommandError(rule.unknown, `Unrecognized argument of ${name}: ${field}`);
    }
  }
  for (const [field, missing] of Object.entries(rule.fields)) {
    if (missing !== undefined && !given.includes(field)) {
      throw new CommandError(missing, `Missing '${field}' argument of ${name}`);
    }
  }
}

/** Errors: Location10065, those of `checkVariableName`. */
function checkVariables(argument: BsonValue): void {
  const vars = fieldIn(argument, 'vars');
  if (vars?.type !== BsonType.object) {
    throw new CommandError(10065, "invalid parameter: expected an object ('vars' of $let)");
  }
  for (const name of namesIn(vars)) checkVariableName(name);
}

/** What is no name is an empty one to mongod. */
function checkElementName(argument: BsonValue): void {
  const as = fieldIn(argument, 'as');
  if (as) checkVariableName(as.type === BsonType.string ? readString(as) : '');
}

/** Errors: Location40061 to 40065, 40068. */
function checkBranches(argument: BsonValue): void {
  const branches = fieldIn(argument, 'branches');
  if (branches?.type !== BsonType.array) throw new CommandError(40061, '$switch expected an array for branches');
  const cursor = new ElementCursor(branches.bytes, branches.offset);
  let count = 0;
  for (; cursor.next(); count++) {
    if (cursor.type !== BsonType.object) throw new CommandError(40062, '$switch expected each branch to be an object');
    checkBranch(namesIn(cursor.value()));
  }
  if (count === 0) throw new CommandError(40068, '$switch requires at least one branch');
}

function checkBranch(names: readonly string[]): void {
  const unknown = names.find((name) => name !== 'case' && name !== 'then');
  if (unknown !== undefined) {
    throw new CommandError(40063, `$switch found an unknown argument in a branch: ${unknown}`);
  }
  if (!names.includes('case'))
    throw new CommandError(40064, "$switch requires each branch to have a 'case' expression");
  if (!names.includes('then'))
    throw new CommandError(40065, "$switch requires each branch to have a 'then' expression");
}

function namesIn({ bytes, offset }: BsonValue): string[] {
  const names: string[] = [];
  for (const cursor = new ElementCursor(bytes, offset); cursor.next(); ) names.push(cursor.name);
  return names;
}

/** The last of that name, as whoever compiles the call takes it: BSON may have several. */
function fieldIn({ bytes, offset }: BsonValue, name: string): BsonValue | undefined {
  let found: BsonValue | undefined;
  for (const cursor = new ElementCursor(bytes, offset); cursor.next(); )
    if (cursor.name === name) found = cursor.value();
  return found;
}
