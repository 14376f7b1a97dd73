import type { OperationVariables } from '@replsim/pipeline';
import { parseFind } from '../crud/findQuery.ts';
import type { CommandContext } from '../definition.ts';
import type { Explained } from './explained.ts';

/** Upstream: find_cmd.cpp, explain. */
export function explainFind(context: CommandContext, variables: OperationVariables): Explained {
  return { ns: context.args.ns, spec: parseFind(context, variables) };
}
