import type { OperationVariables } from '@replsim/pipeline';
import { parseDistinct } from '../crud/distinct.ts';
import type { CommandContext } from '../definition.ts';
import type { Explained } from './explained.ts';

/** Simplification: a distinct reads what its query finds, where upstream may skip from value to value (DISTINCT_SCAN). */
export function explainDistinct(context: CommandContext, variables: OperationVariables): Explained {
  const { filter, hint } = parseDistinct(context, variables);
  return { ns: context.args.ns, spec: { filter, hint, skip: 0, limit: Infinity } };
}
