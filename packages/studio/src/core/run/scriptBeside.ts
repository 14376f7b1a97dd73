const asked = new Map<string, Promise<void>>();

/**
 * Loads a script that lies beside the page, once: a page from `file:` may read no file and load no module, and may load a script, which
 * leaves behind what it has.
 * @throws Error if there is no such script, with words for whoever looks at the page; the next call tries again
 */
export function scriptBeside(name: string): Promise<void> {
  const loaded = asked.get(name) ?? load(name);
  asked.set(name, loaded);
  loaded.catch(() => asked.delete(name));
  return loaded;
}

async function load(name: string): Promise<void> {
  const script = document.createElement('script');
  script.src = name;
  await new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', () =>
      reject(new Error(`${name} is missing: the build makes it, and it must be beside this page`)),
    );
    document.head.append(script);
  });
}
