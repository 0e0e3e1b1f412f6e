/** @returns the folder that holds the bundle of the sources as they are now, once it is built */
export function bundleFolder(): string;
