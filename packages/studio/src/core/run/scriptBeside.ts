import { strFromU8, unzlibSync } from 'fflate';

const asked = new Map<string, Promise<void>>();

/**
 * Loads a script that lies beside the page, once: a page from `file:` may read no file and load no module, and may load a script, which
 * leaves behind what it has. A page that is one file has it inside, packed.
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
  const inside = document.getElementById(name)?.textContent;
  if (inside) {
    script.textContent = unpacked(inside);
    document.head.append(script);
    return;
  }
  // A page of one file has what its scenario needed when it was written.
  if (document.getElementById('link')) throw new Error(NOT_INSIDE);
  script.src = `${name}?${replsimParts.version}`;
  await new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', () =>
      reject(new Error(`${name} is missing: the build makes it, and it must be beside this page`)),
    );
    document.head.append(script);
  });
}

const NOT_INSIDE =
  'This page is one file, and its simulator lacks what the text asks for by now. Save the text, and open it with `replsim studio FILE`, or write a new page with `replsim run FILE --html PAGE`.';

/** @param text zlib in base64 */
export function unpacked(text: string): string {
  return strFromU8(unzlibSync(Uint8Array.from(atob(text), (char) => char.charCodeAt(0))));
}
