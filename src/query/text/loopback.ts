/** Whether a host of a URL is this machine: what goes there by plain HTTP is on no wire. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
