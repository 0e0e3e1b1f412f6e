export { openBlocks, type BlocksOptions, type BlocksStore } from './open-blocks.ts';
export { readBlocksUrl, type BlocksPlace } from './places/blocks-url.ts';
