/** Whether this page stands within another one, which asks by `?embed` for the picture, time and reasons alone. */
export function isEmbedded(): boolean {
  return new URLSearchParams(location.search).has('embed');
}
