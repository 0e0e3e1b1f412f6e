/** Gives a text to the browser as a file to keep. */

/** @param name without what a file system may refuse */
export function saveCsv(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  link.download = `${name.replace(/[^\w.-]+/g, '-')}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
