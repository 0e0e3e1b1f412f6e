export { identifyByProxy, isNetwork } from './proxy.ts';
export { orByPushToken } from './pushes.ts';
export { accessRoutes } from './routes.ts';
export { readTokens } from './token-file.ts';
export { digestOf, identifyByTokens } from './tokens.ts';
