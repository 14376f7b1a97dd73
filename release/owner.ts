/** The file whose `repository` says where the project lives; pages that link to it repeat the owner. */
export const PACKAGE_FILE = 'packages/replsim/package.json';

/** An address of the repository, or the action's name in a workflow. */
const REPOSITORY = /(github\.com\/|\buses: )([\w.-]+)(\/replsim\b)/g;

/** GitHub's own rule for the names of its users. */
const OWNER = /^[A-Za-z\d](?:[A-Za-z\d]|-(?=[A-Za-z\d])){0,38}$/;

/** Who a text says owns the repository: each name once. */
export function ownersIn(text: string): string[] {
  return [...new Set([...text.matchAll(REPOSITORY)].map(([, , owner]) => owner!))];
}

/** @param packageFile what the file of that name holds @throws Error if it does not name one owner */
export function ownerOf(packageFile: string): string {
  const [owner, ...others] = ownersIn(JSON.parse(packageFile).repository.url);
  if (owner === undefined || others.length > 0)
    throw new Error(`${PACKAGE_FILE}: repository.url must be git+https://github.com/OWNER/replsim.git`);
  return owner;
}

/** The text with another owner, where it names the present one. @throws Error if GitHub has no such names */
export function withOwner(text: string, packageFile: string, owner: string): string {
  if (!OWNER.test(owner))
    throw new Error(`--owner must be the name of a user or an organization on GitHub; got ${owner}`);
  const before = ownerOf(packageFile);
  return text.replace(REPOSITORY, (all, start, name, end) => (name === before ? `${start}${owner}${end}` : all));
}
