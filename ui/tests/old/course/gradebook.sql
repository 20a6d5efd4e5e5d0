BEGIN TRANSACTION;
CREATE TABLE attempts (
	id INTEGER NOT NULL, 
	student_id INTEGER NOT NULL, 
	lab_id INTEGER NOT NULL, 
	decision_sha256 VARCHAR(64) NOT NULL, 
	submission_sha256 VARCHAR(64) NOT NULL, 
	lab_sha256 VARCHAR(64) NOT NULL, 
	version VARCHAR(64) NOT NULL, 
	points DOUBLE NOT NULL, 
	max_points DOUBLE NOT NULL, 
	sound BOOLEAN NOT NULL, 
	stands BOOLEAN NOT NULL, 
	entered DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (student_id, lab_id, decision_sha256), 
	FOREIGN KEY(student_id) REFERENCES students (id), 
	FOREIGN KEY(lab_id) REFERENCES labs (id)
);
INSERT INTO "attempts" VALUES(1,1,1,'4959abdcb21b38f9f228562c1b0f5be4930695502e7407da34f30c241e42c7c5','4881fa74e5c1002aa5e9b2a8da162e657dc5d9279f845ecb89e31c637f97e67b','e69c947d2ee4419971bfb1acfeaf2205c2db9bb211e54e91ee70a4dc974ba200','0.1.0',39.0,60.0,1,0,'2026-11-26 14:31:35.723251');
INSERT INTO "attempts" VALUES(2,2,1,'e4f456f9443c31cb9c6082f1ac0db5e31c36b48b6ded1f751a43843febcb260c','616c3aabd3cf4ce3cbd63fe956a6a86e0b99980a57a2e9fd2f23e10e6aa057b2','e69c947d2ee4419971bfb1acfeaf2205c2db9bb211e54e91ee70a4dc974ba200','0.1.0',26.0,60.0,1,1,'2026-11-26 14:31:35.753467');
INSERT INTO "attempts" VALUES(3,1,1,'dd9342bdc97cab18f01320dd7ad38f70029b47813b8a668084518c322b8456ef','4881fa74e5c1002aa5e9b2a8da162e657dc5d9279f845ecb89e31c637f97e67b','e69c947d2ee4419971bfb1acfeaf2205c2db9bb211e54e91ee70a4dc974ba200','0.1.0',42.0,65.0,1,1,'2026-11-26 14:31:37.858637');
CREATE TABLE checks (
	attempt_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	public BOOLEAN NOT NULL, 
	verdict VARCHAR(32) NOT NULL, 
	points DOUBLE NOT NULL, 
	max_points DOUBLE NOT NULL, 
	misconception TEXT NOT NULL, 
	message TEXT NOT NULL, 
	answer TEXT NOT NULL, 
	PRIMARY KEY (attempt_id, number), 
	FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
INSERT INTO "checks" VALUES(1,0,'break-it',1,'pass',10.0,10.0,'','exclusion after 4 steps: two threads hold the lock: thread 1 acquires it while thread 0 holds it','');
INSERT INTO "checks" VALUES(1,1,'proven',1,'pass',20.0,20.0,'','proven for 2 threads, 1 round, C11: 128 states, every interleaving','');
INSERT INTO "checks" VALUES(1,2,'curve',1,'pass',10.0,10.0,'','','');
INSERT INTO "checks" VALUES(1,3,'predict',1,'partial',2.0,5.0,'more CPUs get more done, or at least as much','predicted 1,000,000 to 4,000,000, measured 751,519: the interval misses the result; 40% of the points are for having predicted','');
INSERT INTO "checks" VALUES(1,4,'measured',1,'fail',0.0,5.0,'a section takes its own work, and waiting adds little','time_ns: too small, by a factor above 3; measured with your own First on 20 CPUs of ideal-64 (hold 280 ns, think 1000 ns, 1 shared word)','');
INSERT INTO "checks" VALUES(1,5,'why',1,'pass',0.0,0.0,'','kept for the instructor','Every waiting swap takes the line away.');
INSERT INTO "checks" VALUES(1,6,'three-threads',0,'pass',10.0,10.0,'','proven for 3 threads, 2 rounds, C11: 2,065 states, every interleaving','');
INSERT INTO "checks" VALUES(2,0,'break-it',1,'pass',10.0,10.0,'','exclusion after 4 steps: two threads hold the lock: thread 1 acquires it while thread 0 holds it','');
INSERT INTO "checks" VALUES(2,1,'proven',1,'pass',20.0,20.0,'','proven for 2 threads, 1 round, C11: 128 states, every interleaving','');
INSERT INTO "checks" VALUES(2,2,'curve',1,'pass',10.0,10.0,'','','');
INSERT INTO "checks" VALUES(2,3,'predict',1,'partial',2.0,5.0,'more CPUs get more done, or at least as much','predicted 1,000,000 to 4,000,000, measured 651,279: the interval misses the result; 40% of the points are for having predicted; no record.json shows that it was made before the first measurement','');
INSERT INTO "checks" VALUES(2,4,'measured',1,'fail',0.0,5.0,'a section takes its own work, and waiting adds little','time_ns: too small, by a factor of about 100: a fraction or per cent?; measured with your own First on 22 CPUs of ideal-64 (hold 400 ns, think 1000 ns, 1 shared word)','');
INSERT INTO "checks" VALUES(2,5,'why',1,'pass',0.0,0.0,'','kept for the instructor','Every waiting swap takes the line away.');
INSERT INTO "checks" VALUES(2,6,'three-threads',0,'pass',10.0,10.0,'','proven for 3 threads, 2 rounds, C11: 2,065 states, every interleaving','');
INSERT INTO "checks" VALUES(3,0,'break-it',1,'pass',10.0,10.0,'','exclusion after 4 steps: two threads hold the lock: thread 1 acquires it while thread 0 holds it','');
INSERT INTO "checks" VALUES(3,1,'proven',1,'pass',20.0,20.0,'','proven for 2 threads, 1 round, C11: 128 states, every interleaving','');
INSERT INTO "checks" VALUES(3,2,'curve',1,'pass',10.0,10.0,'','','');
INSERT INTO "checks" VALUES(3,3,'predict',1,'partial',2.0,5.0,'more CPUs get more done, or at least as much','predicted 1,000,000 to 4,000,000, measured 751,519: the interval misses the result; 40% of the points are for having predicted','');
INSERT INTO "checks" VALUES(3,4,'measured',1,'fail',0.0,5.0,'a section takes its own work, and waiting adds little','time_ns: too small, by a factor above 3; measured with your own First on 20 CPUs of ideal-64 (hold 280 ns, think 1000 ns, 1 shared word)','');
INSERT INTO "checks" VALUES(3,5,'why',1,'pass',4.0,5.0,'','kept for the instructor','Every waiting swap takes the line away.');
INSERT INTO "checks" VALUES(3,6,'three-threads',0,'pass',10.0,10.0,'','proven for 3 threads, 2 rounds, C11: 2,065 states, every interleaving','');
CREATE TABLE enrolments (
	student_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	section TEXT NOT NULL, 
	PRIMARY KEY (student_id), 
	FOREIGN KEY(student_id) REFERENCES students (id)
);
INSERT INTO "enrolments" VALUES(1,'Ada Lovelace','A');
INSERT INTO "enrolments" VALUES(2,'Bob','B');
CREATE TABLE labs (
	id INTEGER NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "labs" VALUES(1,'lab00-five-minutes');
CREATE TABLE lateness (
	attempt_id INTEGER NOT NULL, 
	due VARCHAR(64) NOT NULL, 
	handed_in VARCHAR(64) NOT NULL, 
	days INTEGER NOT NULL, 
	excused INTEGER NOT NULL, 
	share DOUBLE NOT NULL, 
	PRIMARY KEY (attempt_id), 
	FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
INSERT INTO "lateness" VALUES(1,'2026-11-23T12:00:00+00:00','2026-11-24T13:00:00+00:00',2,1,0.75);
INSERT INTO "lateness" VALUES(2,'2026-11-23T12:00:00+00:00','2026-11-26T14:31:26+00:00',4,2,0.5);
INSERT INTO "lateness" VALUES(3,'2026-11-23T12:00:00+00:00','2026-11-24T13:00:00+00:00',2,1,0.75);
CREATE TABLE marks (
	attempt_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	check_name TEXT NOT NULL, 
	points DOUBLE NOT NULL, 
	graded_points DOUBLE NOT NULL, 
	reason TEXT NOT NULL, 
	marked_by TEXT NOT NULL, 
	marked_at VARCHAR(64) NOT NULL, 
	PRIMARY KEY (attempt_id, number), 
	FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
INSERT INTO "marks" VALUES(3,5,'why',4.0,0.0,'names the line','prof','2026-11-26T14:31:37+00:00');
CREATE TABLE students (
	id INTEGER NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "students" VALUES(1,'ada');
INSERT INTO "students" VALUES(2,'bob');
CREATE INDEX ix_attempts_lab_id ON attempts (lab_id);
CREATE INDEX ix_attempts_student_id ON attempts (student_id);
COMMIT;
