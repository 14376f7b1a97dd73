/** FNV-1a over the code units of a text, 32 bits. @param start another one gives another hash. Source: draft-eastlake-fnv */
export function hashOfText(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
