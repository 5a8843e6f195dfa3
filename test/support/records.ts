import type { Column } from '../../src/records/column.ts';
import type { RecordDefinition } from '../../src/records/record.ts';

/** The columns of a record that an import stores. */
export const importedColumnsOf = ({ columns }: RecordDefinition): readonly string[] =>
  Object.entries<Column>(columns).flatMap(([name, { inserted }]) =>
    inserted === undefined || name === 'id' ? [] : [name],
  );
