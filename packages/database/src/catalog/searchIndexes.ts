import { searchNotEnabled } from '@replsim/pipeline';
import type { CommandDefinition } from '../definition.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';

const names = ['createSearchIndexes', 'listSearchIndexes', 'updateSearchIndex', 'dropSearchIndex'] as const;

/**
 * Indexes of Atlas Search, which a mongod by itself has none of. Error: SearchNotEnabled 31082.
 * Upstream: search_index_commands.cpp.
 */
export const searchIndexCommands: readonly CommandDefinition[] = names.map((name) => ({
  name,
  help: 'manages search indexes, which Atlas alone has',
  auth: { action: name, resource: 'collection' },
  api: 'none',
  ...ANYWHERE,
  run: atOnce(() => {
    throw searchNotEnabled('Atlas Search Database Commands and the $listSearchIndexes aggregation stage');
  }),
}));
