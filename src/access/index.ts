export { identifyByProxy, isNetwork } from './proxy.ts';
export { Issuer, issuerUrl } from './issuer.ts';
export { identifyByOidc } from './oidc.ts';
export { orByPushToken } from './pushes.ts';
export { accessRoutes } from './routes.ts';
export { readTokens } from './token-file.ts';
export { digestOf, identifyByTokens } from './tokens.ts';
