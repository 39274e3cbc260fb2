CREATE TABLE books (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  author TEXT NOT NULL,
  year INTEGER NOT NULL,
  shelf TEXT NOT NULL,
  copies INTEGER NOT NULL
);
CREATE TABLE members (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  town TEXT NOT NULL,
  active INTEGER NOT NULL
);
CREATE TABLE loans (
  id INTEGER PRIMARY KEY,
  book_id INTEGER NOT NULL,
  member_id INTEGER NOT NULL,
  lent TEXT NOT NULL,
  returned TEXT
);
INSERT INTO books VALUES
  (1, 'The Salt Road', 'Mara Lindqvist', 1998, 'A1', 2),
  (2, 'Winter Gardens', 'Tom Aldous', 2004, 'A1', 1),
  (3, 'A Map of Rain', 'Mara Lindqvist', 2011, 'A2', 3),
  (4, 'Copper and Clay', 'Ines Duarte', 1987, 'B1', 1),
  (5, 'The Lamplighter', 'Piet Hoekstra', 1975, 'B1', 2),
  (6, 'Small Engines', 'Ruth Okafor', 2016, 'B2', 4),
  (7, 'Tides of Glass', 'Ines Duarte', 1993, 'B2', 1),
  (8, 'Northern Letters', 'Piet Hoekstra', 1969, 'C1', 1),
  (9, 'The Paper Kite', 'Yuki Arai', 2020, 'C1', 2),
  (10, 'Orchard Street', 'Tom Aldous', 2009, 'C2', 2),
  (11, 'Bread for Monday', 'Ruth Okafor', 2018, 'C2', 3),
  (12, 'The Ninth Bridge', 'Yuki Arai', 2014, 'C2', 1);
INSERT INTO members VALUES
  (1, 'Anna Weber', 'anna@mail.test', 'Lindau', 1),
  (2, 'Bruno Costa', 'bruno@mail.test', 'Bregenz', 1),
  (3, 'Clara Novak', 'clara@mail.test', 'Lindau', 0),
  (4, 'Deniz Kaya', 'deniz@mail.test', 'Konstanz', 1),
  (5, 'Emil Hansen', 'emil@mail.test', 'Bregenz', 0),
  (6, 'Fatima Saleh', 'fatima@mail.test', 'Konstanz', 1),
  (7, 'Goran Petrov', 'goran@mail.test', 'Lindau', 1),
  (8, 'Hanna Lund', 'hanna@mail.test', 'Friedrichshafen', 1);
INSERT INTO loans VALUES
  (1, 3, 1, '2024-01-08', '2024-01-22'),
  (2, 6, 2, '2024-01-11', NULL),
  (3, 9, 4, '2024-01-15', '2024-02-03'),
  (4, 11, 6, '2024-02-01', NULL),
  (5, 1, 7, '2024-02-05', '2024-02-19'),
  (6, 5, 1, '2024-02-12', NULL),
  (7, 10, 8, '2024-02-20', '2024-03-01'),
  (8, 6, 6, '2024-03-04', NULL),
  (9, 2, 2, '2024-03-07', '2024-03-18');
