/** A row's services as the text of one column: JSON, empty for none. */

/** @param services in order of name */
export function servicesText(services: readonly string[]): string {
  return services.length === 0 ? '' : JSON.stringify(services);
}

/** The services that `servicesText` wrote, in order of name. */
export function parseServices(text: string): readonly string[] {
  return text === '' ? [] : (JSON.parse(text) as string[]);
}
