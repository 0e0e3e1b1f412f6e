/** The tools of request sizing in the cluster and of collections: for callers whose role permits it. */
import { isFields, rowsIn, type Tool } from './tool.ts';
import { factsOf } from './units.ts';

const whole: Tool['read'] = (answer) => ({
  facts: isFields(answer) ? factsOf(answer) : { rows: rowsIn(answer) },
});
const COLLECTION = { name: 'collection', type: 'application/json' } as const;

export const WRITING: readonly Tool[] = [
  {
    name: 'request_sizing_plan',
    title: 'The plan that lowers requests',
    says: 'Turns rows of request_sizing into a plan of what to change in the cluster, and changes nothing. Rows keep clusterID, namespace, controllerKind, controllerName, containerName and recommendedRequest.',
    route: 'POST /cluster/requestsizer/plan',
    body: { name: 'recommendations', says: 'rows of request_sizing', type: 'application/json' },
    hasRows: false,
    read: (answer) => ({ verbatim: { plan: answer } }),
  },
  {
    name: 'request_sizing_apply',
    title: 'Lowers requests in the cluster',
    says: 'Changes requests of containers in the cluster as a plan of request_sizing_plan says. To be called when a person has agreed to the plan.',
    route: 'POST /cluster/requestsizer/apply',
    body: { name: 'plan', says: 'the plan', type: 'application/json' },
    hasRows: false,
    read: whole,
  },
  {
    name: 'request_sizing_undo',
    title: 'Takes back an apply',
    says: 'Takes back what request_sizing_apply changed: the apply with that id, the last one where none is named ({}).',
    route: 'POST /cluster/requestsizer/undo',
    body: { name: 'undo', says: 'which apply, {} for the last', type: 'application/json' },
    hasRows: false,
    read: whole,
  },
  {
    name: 'create_collection',
    title: 'Creates a collection',
    says: 'Creates a collection: a named group of costs, by selectors of Kubernetes and of the cloud.',
    route: 'POST /collection',
    body: { ...COLLECTION, says: 'its name, category and groups' },
    isDestructive: false,
    hasRows: false,
    read: whole,
  },
  {
    name: 'replace_collection',
    title: 'Replaces a collection',
    says: 'Replaces the collection with that id as a whole.',
    route: 'PUT /collection',
    body: { ...COLLECTION, says: 'its name, category and groups, whole' },
    hasRows: false,
    read: whole,
  },
  {
    name: 'delete_collection',
    title: 'Removes a collection',
    says: 'Removes the collection with that id. Costs are not touched.',
    route: 'DELETE /collection',
    hasRows: false,
    read: whole,
  },
];
