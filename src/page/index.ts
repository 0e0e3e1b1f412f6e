export { PAGE_API } from './descriptions.ts';
export { pageRoutes } from './routes.ts';
