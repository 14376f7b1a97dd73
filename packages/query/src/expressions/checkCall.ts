import { CommandError, sayIfKnown } from '@replsim/protocol';
import { EXPRESSION_NAMES } from '../operatorNames.ts';
import { expressionRules, type Named, type Positional } from './rules.ts';
import { checkVariableName } from './variableNames.ts';

/**
 * Looks at the shape of a call's argument. Errors: InvalidPipelineOperator 168 for an unknown operator, Location16020 and
 * 28667 for the number of arguments, FailedToParse 9 for names of variables, and those of each operator for its named arguments.
 */
export function checkCall(name: string, argument: unknown): void {
  const rule = Object.hasOwn(expressionRules, name) ? expressionRules[name] : undefined;
  if (!rule) throw unknownExpression(name);
  if ('least' in rule) checkCount(name, argument, rule);
  else if (name === '$cond' && Array.isArray(argument)) checkCount(name, argument, { least: 3, most: 3 });
  else checkFields(name, argument, rule);
  if (name === '$switch') checkBranches((argument as { branches: unknown }).branches);
  if (name === '$let') checkVariables((argument as { vars: unknown }).vars);
  if (name === '$map' || name === '$filter') checkElementName(argument as { as?: unknown });
}

/** InvalidPipelineOperator 168. */
export function unknownExpression(name: string): CommandError {
  const errmsg = sayIfKnown(`Unrecognized expression '${name}'`, name, EXPRESSION_NAMES);
  return new CommandError('InvalidPipelineOperator', errmsg);
}

function checkCount(name: string, argument: unknown, { least, most, otherCount }: Positional): void {
  const count = Array.isArray(argument) ? argument.length : 1;
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

function checkFields(name: string, argument: unknown, rule: Named): void {
  const given = fieldsOf(argument);
  if (!given) throw new CommandError(rule.notObject, `${name} only supports an object as its argument`);
  for (const field of Object.keys(given)) {
    if (!Object.hasOwn(rule.fields, field)) {
      throw new CommandError(rule.unknown, `Unrecognized argument of ${name}: ${field}`);
    }
  }
  for (const [field, missing] of Object.entries(rule.fields)) {
    if (missing !== undefined && !Object.hasOwn(given, field)) {
      throw new CommandError(missing, `Missing '${field}' argument of ${name}`);
    }
  }
}

/** Errors: Location10065, those of `checkVariableName`. */
function checkVariables(vars: unknown): void {
  const fields = fieldsOf(vars);
  if (!fields) throw new CommandError(10065, "invalid parameter: expected an object ('vars' of $let)");
  for (const name of Object.keys(fields)) checkVariableName(name);
}

/** What is no name is an empty one to mongod. */
function checkElementName({ as = 'this' }: { readonly as?: unknown }): void {
  checkVariableName(typeof as === 'string' ? as : '');
}

/** Errors: Location40061 to 40065, 40068. */
function checkBranches(branches: unknown): void {
  if (!Array.isArray(branches)) throw new CommandError(40061, '$switch expected an array for branches');
  if (branches.length === 0) throw new CommandError(40068, '$switch requires at least one branch');
  for (const branch of branches) {
    const fields = fieldsOf(branch);
    if (!fields) throw new CommandError(40062, '$switch expected each branch to be an object');
    for (const name of Object.keys(fields)) {
      if (name === 'case' || name === 'then') continue;
      throw new CommandError(40063, `$switch found an unknown argument in a branch: ${name}`);
    }
    if (!('case' in fields)) throw new CommandError(40064, "$switch requires each branch to have a 'case' expression");
    if (!('then' in fields)) throw new CommandError(40065, "$switch requires each branch to have a 'then' expression");
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return undefined;
  return value as Record<string, unknown>;
}
