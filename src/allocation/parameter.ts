/** A parameter of a query, as help shows it. */
export interface Parameter {
  readonly name: string;
  readonly value: string;
  readonly help: string;
}
