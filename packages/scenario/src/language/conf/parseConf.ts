import { isMap } from 'yaml';
import { readFile } from '../../file/readFile.ts';
import { type Conf, type ConfRules, readConf } from './readConf.ts';

/**
 * Reads a file that holds an `rs.conf()` document, or the answer to `replSetGetConfig`.
 * @param file the name that messages show
 * @throws InvalidScenario where a mongod would refuse the config, in its words
 */
export function parseConf(text: string, file: string, rules: ConfRules): Conf {
  const conf = readFile(text, file, { what: 'config', needs: 'members:' }, (source) => {
    const isAnswer = isMap(source.root) && source.child(source.root, 'members') === undefined;
    const base = isAnswer && source.nodeAt(['config']) !== undefined ? ['config'] : [];
    // Without a result there is a mistake, which `readFile` throws.
    return [readConf(source, base, rules)];
  });
  return conf[0] as Conf;
}
