import { CommandError } from '@replsim/protocol';

/**
 * What searches, or manages indexes for that, is up to `mongot`, a process beside mongod that Atlas has. Error: SearchNotEnabled
 * 31082. Upstream: search_index_helpers, mongot_cursor.cpp, getRemoteCommandRequest.
 * @param what a client uses in vain
 */
export function searchNotEnabled(what: string): CommandError {
  return new CommandError(
    'SearchNotEnabled',
    `Using ${what} requires additional configuration. Please connect to Atlas or an AtlasCLI local deployment to enable: replsim has no search`,
  );
}
