package javax.annotation;

/** Marks generated code. Stands in for the annotation of the same name, which was part of Java until version 8. */
public @interface Generated {
  String[] value();

  String date() default "";

  String comments() default "";
}
