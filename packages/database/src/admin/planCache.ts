import { type CommandArguments, checkNotView, fieldSet, notSupported, type Reply } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CommandContext, CommandDefinition, CommandDescription } from '../definition.ts';
import { atOnce } from '../replies/atOnce.ts';

const shape = ['query', 'sort', 'projection', 'collation'];

/** A command about plans of queries on one collection. */
function aboutPlans(described: CommandDescription, answer: (context: CommandContext) => Reply): CommandDefinition {
  const fields = fieldSet(described.name, ...shape, 'indexes');
  return {
    ...described,
    kind: 'other',
    secondaries: 'optIn',
    maintenanceOk: false,
    run: atOnce((context) => {
      const { args, data } = context;
      args.allow(fields);
      checkNotView(data, args.ns);
      return answer(context);
    }),
  };
}

/**
 * Plans are chosen anew each time here, so that there is nothing to clear, and no index filters: those that exist are none, and
 * to set one is refused. Errors: BadValue 2 for a shape without a query, CommandNotSupported 115.
 * Upstream: plan_cache_commands.cpp, index_filter_commands.cpp.
 */
export const planCacheCommands: readonly CommandDefinition[] = [
  aboutPlans(
    {
      name: 'planCacheClear',
      help: 'forgets the plans of queries',
      auth: { action: 'planCacheWrite', resource: 'collection' },
      api: 'none',
    },
    ({ args }) => {
      checkShape(args);
      return {};
    },
  ),
  aboutPlans(
    {
      name: 'planCacheListFilters',
      help: 'lists index filters',
      auth: { action: 'planCacheIndexFilter', resource: 'collection' },
      api: 'none',
    },
    () => ({ filters: [] }),
  ),
  aboutPlans(
    {
      name: 'planCacheClearFilters',
      help: 'removes index filters',
      auth: { action: 'planCacheIndexFilter', resource: 'collection' },
      api: 'none',
    },
    ({ args }) => {
      checkShape(args);
      return {};
    },
  ),
  aboutPlans(
    {
      name: 'planCacheSetFilter',
      help: 'lets queries of a shape use certain indexes alone',
      auth: { action: 'planCacheIndexFilter', resource: 'collection' },
      api: 'none',
    },
    ({ args }) => {
      args.requiredDocument('query');
      if (!args.value('indexes')) throw new CommandError('BadValue', 'planCacheSetFilter needs indexes');
      throw notSupported('an index filter');
    },
  ),
];

function checkShape(args: CommandArguments): void {
  const [query, ...others] = shape.map((name) => args.document(name));
  if (query || others.every((other) => other === undefined)) return;
  throw new CommandError('BadValue', 'sort, projection and collation need a query beside them');
}
