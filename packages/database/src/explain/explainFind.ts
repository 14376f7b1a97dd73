import { parseFind } from '../crud/findQuery.ts';
import type { CommandContext } from '../definition.ts';
import type { Explained } from './explained.ts';

/** Upstream: find_cmd.cpp, explain. */
export function explainFind({ args, member }: CommandContext): Explained {
  return { ns: args.ns, spec: parseFind(args, member) };
}
