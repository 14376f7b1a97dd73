import type { WriteCommand } from '../definition.ts';

type Excludes = NonNullable<WriteCommand['excludes']>;

/** For a command that changes the collection which it names. */
export const ITS_COLLECTION: Excludes = (args) => {
  const { label } = args;
  return (ns) => ns === label;
};

/** For one that changes its whole database. */
export const ITS_DATABASE: Excludes = ({ db }) => {
  const prefix = `${db}.`;
  return (ns) => ns.startsWith(prefix);
};
